module example.com/environment

go 1.26
