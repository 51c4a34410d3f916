module example.com/cost

go 1.26
