module example.com/signals

go 1.26
