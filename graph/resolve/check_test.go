package resolve

import "testing"

func check(t testing.TB, n Namespace) {}
