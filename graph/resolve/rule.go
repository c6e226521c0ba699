package resolve

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// limit is the maximum cost of one evaluation, in the units of CEL: hundreds of times the cost of visiting each property of a
// bundle, and at most some tenths of a second. OLM itself has no limit.
const limit = 200_000

// ruleEnvironment declares what rules can refer to: the list properties of {type, value}, and semver_compare.
type ruleEnvironment struct{ env *cel.Env }

// newRuleEnvironment returns the environment of OLM's rules (api: pkg/constraints NewCelEnvironment).
func newRuleEnvironment() (*ruleEnvironment, error) {
	env, err := cel.NewEnv(
		cel.Variable("properties", cel.ListType(cel.MapType(cel.StringType, cel.AnyType))),
		cel.Function("semver_compare", cel.Overload("semver_compare", []*cel.Type{cel.AnyType, cel.AnyType}, cel.IntType,
			cel.BinaryBinding(compare))),
	)
	if err != nil {
		return nil, fmt.Errorf("set up CEL: %w", err)
	}
	return &ruleEnvironment{env: env}, nil
}

// compare compares versions as blang/semver does; a leading v and missing parts are allowed.
func compare(a, b ref.Val) ref.Val {
	v, err := version(a)
	if err != nil {
		return types.WrapErr(err)
	}
	w, err := version(b)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Int(v.Compare(w))
}

var errNoVersion = errors.New("no version")

// version returns the version in a string or a number. Other values are errors, and so are strings that are longer than any
// version: CEL counts less than parsing them repeatedly costs.
func version(v ref.Val) (semver.Version, error) {
	const longest = 1024
	switch value := v.Value().(type) {
	case string:
		if len(value) <= longest {
			return semver.ParseTolerant(value)
		}
	case int64, uint64, float64:
		return semver.ParseTolerant(fmt.Sprint(value))
	}
	return semver.Version{}, errNoVersion
}

// celRule is a compiled rule. It is safe for concurrent use.
type celRule struct {
	program      cel.Program
	cost         atomic.Uint64
	limitReached atomic.Bool
}

// usual is the number of properties above which CEL counts less than it takes: its tracker of costs searches all values of a list again and again.
const usual = 5000

var errNotBool = errors.New("a rule must be true or false")

// Compile compiles a rule (api: pkg/constraints Validate). It fails for text that is not CEL, whose type is not bool, or that is
// nested too deep.
func (l *ruleEnvironment) Compile(text string) (*celRule, error) {
	ast, issues := l.env.Compile(text)
	if err := issues.Err(); err != nil {
		return nil, err
	}
	if !ast.OutputType().IsExactType(cel.BoolType) {
		return nil, errNotBool
	}
	program, err := l.env.Program(ast, cel.CostLimit(limit))
	if err != nil {
		return nil, err
	}
	return &celRule{program: program}, nil
}

// Matches reports whether the rule is true of properties, each a map with type and value. It is false if the evaluation fails or
// exceeds the Limit (OLM: cache celPredicate).
func (r *celRule) Matches(properties []map[string]any) bool {
	out, details, err := r.program.Eval(map[string]any{"properties": properties})
	if cost := details.ActualCost(); cost != nil {
		many := uint64(len(properties) / usual)
		r.cost.Add(*cost * (1 + 2*many*many))
		if *cost > limit {
			r.limitReached.Store(true)
		}
	}
	if err != nil {
		return false
	}
	holds, ok := out.Value().(bool)
	return ok && holds
}

// Cost returns the cost of all evaluations so far, in the units of CEL.
func (r *celRule) Cost() uint64 { return r.cost.Load() }

// LimitReached reports whether an evaluation has exceeded the Limit.
func (r *celRule) LimitReached() bool { return r.limitReached.Load() }
