module drumline/lab/peers/go

go 1.19
