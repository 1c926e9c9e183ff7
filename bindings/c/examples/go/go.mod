module sqlthrottle.example/check

go 1.19
