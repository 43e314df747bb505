fn t(){}
