module example.org/tricky

go 1.12
