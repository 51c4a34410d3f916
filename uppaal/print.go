package uppaal

func ExprString(e Expr) string { return "" }
