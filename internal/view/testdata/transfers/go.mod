module example.com/transfers

go 1.26
