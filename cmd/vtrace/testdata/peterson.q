A[] not (P(0).critical and P(1).critical)
E<> P(1).critical and P(0).waiting
A[] not deadlock
sup: served
bounds{P(0).critical}: served, want[0] + want[1]
