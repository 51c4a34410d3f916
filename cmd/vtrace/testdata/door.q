// One door at a time.
A[] not (A.open and B.open)
A[] not deadlock
E<> A.open
