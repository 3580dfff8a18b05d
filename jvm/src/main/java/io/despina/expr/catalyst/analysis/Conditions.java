package io.despina.expr.catalyst.analysis;

import io.despina.expr.ExpressionException;
import io.despina.expr.ExpressionException.Problem;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Translates Spark's error conditions into the rules and words of a graph. */
final class Conditions {
    private static final String CONDITION = "a condition must be BOOLEAN: compare with something, or cast";

    private static final Pattern TRY = Pattern.compile("try_\\w+");
    /** What other engines call a window's bounds, as columns or as functions. */
    private static final Pattern START = Pattern.compile("(window|tumble|hop|slide|session|cumulate)_?(start|begin|from|open)");
    private static final Pattern END = Pattern.compile("(window|tumble|hop|slide|session|cumulate)_?(end|to|close)");
    private static final Pattern NO_LETTER = Pattern.compile("[^\\p{L}\\p{N}]");

    private final String condition;
    private final Map<String, String> parameters;
    private final String sparks;
    private final List<String> qualified;

    /**
     * @param condition for example {@code UNRESOLVED_COLUMN.WITH_SUGGESTION}
     * @param sparks    Spark's own message, for conditions that are not translated
     * @param qualified names with a qualifier that the expression may use, such as {@code window.start}
     */
    Conditions(String condition, Map<String, String> parameters, String sparks, List<String> qualified) {
        this.condition = condition;
        this.parameters = parameters;
        this.sparks = sparks;
        this.qualified = qualified;
    }

    Problem problem() {
        int dot = condition.indexOf('.');
        String detail = condition.substring(dot + 1);
        return switch (dot < 0 ? condition : condition.substring(0, dot)) {
            case "UNRESOLVED_COLUMN" -> of("unknown_column", "there is no column " + get("objectName"), columnHint());
            case "UNRESOLVED_FIELD" -> of("unknown_column", get("columnPath") + " has no field " + get("fieldName"),
                    columnHint());
            case "FIELD_NOT_FOUND" -> of("unknown_column", "there is no field " + get("fieldName"), columnHint());
            case "UNRESOLVED_ROUTINE" -> of("unknown_function", "there is no function " + get("routineName"), functionHint());
            case "DATATYPE_MISMATCH" -> typeMismatch(detail);
            case "MISSING_AGGREGATION" -> of("missing_aggregate", ticked("expression") + " is neither in `group_by` nor in an"
                    + " aggregate", "add the column to `group_by`, or wrap it in an aggregate, for example any_value()");
            case "MISSING_GROUP_BY" -> of("missing_aggregate",
                    "a column is selected beside an aggregate, and there is no `group_by`",
                    "add the column to `group_by`, or wrap it in an aggregate, for example any_value()");
            case "PARSE_SYNTAX_ERROR" -> syntax();
            case "WRONG_NUM_ARGS" -> of("argument_count", get("functionName") + " takes " + get("expectedNum")
                    + (get("expectedNum").equals("1") ? " argument, not " : " arguments, not ") + get("actualNum"), null);
            case "DIVIDE_BY_ZERO" -> of("division_by_zero", "division by zero", instead("`try_divide`"));
            case "REMAINDER_BY_ZERO" -> of("division_by_zero", "remainder of a division by zero", instead("`try_mod`"));
            case "CAST_INVALID_INPUT" -> of("bad_cast", get("expression") + " is not a valid " + type("targetType"),
                    instead("`try_cast`"));
            case "CAST_OVERFLOW" -> of("overflow", get("value") + " does not fit " + type("targetType"), instead("`try_cast`"));
            case "BINARY_ARITHMETIC_OVERFLOW" -> of("overflow", get("value1") + " " + get("symbol") + " " + get("value2")
                    + " overflows", instead(get("functionName")));
            case "ARITHMETIC_OVERFLOW" -> of("overflow", "the value does not fit its type", alternative());
            case "INVALID_WHERE_CONDITION" -> of("aggregate_function",
                    "`" + get("expressionList") + "` is an aggregate, and here is one packet at a time",
                    "filter the output of an `aggregate` operator instead");
            case "NESTED_AGGREGATE_FUNCTION" -> of("aggregate_function", "an aggregate contains another aggregate",
                    "compute the inner one in an `aggregate` operator before this one");
            case "FAILED_TO_PARSE_TOO_COMPLEX" -> of("nesting", ExpressionException.TOO_DEEP, ExpressionException.LESS_DEEP);
            case "AMBIGUOUS_REFERENCE" -> of("expression", get("name") + " is ambiguous", choice());
            case "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE" -> of("window_function", ticked("funcName") + " is a window function",
                    "use an `aggregate` operator with a `trailing` window, or `scan`");
            default -> of("expression", sparks, null);
        };
    }

    /** The names that are not ambiguous, of those in brackets. */
    private String choice() {
        List<String> names = Stream.of(get("referenceNames").replaceAll("^\\[|]$", "").split(", ")).distinct()
                .filter(name -> name.contains("`.`")).map(name -> name.replace("`.`", ".")).toList();
        return names.isEmpty() ? null : "write " + String.join(" or ", names);
    }

    private Problem typeMismatch(String detail) {
        return switch (detail) {
            case "FILTER_NOT_BOOLEAN" -> mismatch("the condition " + ticked("filter") + " is " + type("type"), CONDITION);
            case "UNEXPECTED_INPUT_TYPE" -> mismatch(ticked("inputSql") + " is " + type("inputType") + ", and the "
                    + get("paramIndex") + " argument of " + ticked("sqlExpr") + " must be "
                    + type("requiredType").replaceAll("^\\(|\\)$", ""), null);
            case "BINARY_OP_DIFF_TYPES" -> mismatch(ticked("sqlExpr") + " has " + type("left") + " on its left and "
                    + type("right") + " on its right", null);
            case "BINARY_OP_WRONG_TYPE" -> mismatch(ticked("sqlExpr") + " needs " + type("inputType") + ", and has "
                    + type("actualDataType"), null);
            case "CAST_WITHOUT_SUGGESTION", "CAST_WITH_CONF_SUGGESTION" -> mismatch(type("srcType") + " cannot be cast to "
                    + type("targetType"), null);
            case "CAST_WITH_FUNC_SUGGESTION" -> mismatch(type("srcType") + " cannot be cast to " + type("targetType"),
                    "there is " + get("functionNames"));
            default -> mismatch(sparks.replaceFirst("(?s)^Cannot resolve .*? due to data type mismatch: ",
                    ticked("sqlExpr") + ": "), null);
        };
    }

    private static Problem mismatch(String message, String hint) {
        return of("type_mismatch", message, hint);
    }

    private Problem syntax() {
        String at = get("error");
        return at.equals("end of input") ? of("expression_syntax", "the expression ends too early", null)
                : of("expression_syntax", "syntax error at " + at, switch (at) {
                    case "'None'", "'none'", "'nil'" -> "NULL is found by `IS NULL` and `IS NOT NULL`";
                    default -> null;
                });
    }

    /** The function that Spark suggests: "Use 'try_add' to tolerate overflow …". */
    private String alternative() {
        Matcher function = TRY.matcher(get("alternative"));
        return function.find() ? instead("`" + function.group() + "`") : null;
    }

    private static String instead(String function) {
        return function + " gives NULL instead";
    }

    private static Problem of(String rule, String message, String hint) {
        return new Problem(0, -1, -1, rule, message, hint);
    }

    private String get(String parameter) {
        return parameters.getOrDefault(parameter, "");
    }

    /** An expression, which Spark puts in double quotes. */
    private String ticked(String parameter) {
        return "`" + get(parameter).replaceAll("^\"|\"$", "") + "`";
    }

    /** A type, or several: Spark puts each in double quotes. */
    private String type(String parameter) {
        return get(parameter).replace("\"", "");
    }

    private String functionHint() {
        String name = bare(get("routineName"));
        String bound = qualified(name);
        if (bound != null) {
            return "did you mean " + bound + "?";
        }
        String nearest = nearest(name, Functions.known());
        return nearest == null ? "the built-in functions of Spark SQL may be used"
                : "did you mean `" + Functions.SYNONYMS.getOrDefault(nearest, nearest) + "`?";
    }

    private String columnHint() {
        String wanted = bare(parameters.getOrDefault("objectName", get("fieldName")));
        String qualified = qualified(wanted);
        if (qualified != null) {
            return "did you mean " + qualified + "?";
        }
        String proposal = parameters.getOrDefault("proposal", get("fields"));
        if (proposal.isEmpty()) {
            return null;
        }
        List<String> proposals = List.of(proposal.split(", "));
        String nearest = nearest(wanted, proposals.stream().map(Conditions::bare).toList());
        return nearest == null ? "there are " + proposal
                : "did you mean " + proposals.stream().filter(p -> bare(p).equals(nearest)).findFirst().orElse(nearest) + "?";
    }

    /** The qualified name that differs by its separator alone, or that another engine calls so; null if there is none. */
    private String qualified(String wanted) {
        String word = wanted.toLowerCase(Locale.ROOT);
        String ours = START.matcher(word).matches() ? "window.start" : END.matcher(word).matches() ? "window.end" : null;
        Stream<String> same = qualified.stream().filter(name -> letters(name).equals(letters(word)));
        Stream<String> others = qualified.stream().filter(name -> name.equals(ours));
        return Stream.concat(same, others).findFirst().orElse(null);
    }

    private static String letters(String name) {
        return NO_LETTER.matcher(name.toLowerCase(Locale.ROOT)).replaceAll("");
    }

    private static String bare(String quoted) {
        return quoted.substring(quoted.lastIndexOf(".`") + 1).replace("`", "");
    }

    /**
     * The candidate that differs least, if it differs by less than about a third. Words that both begin with do not count, for
     * {@code window_start} and {@code window_time} have nothing in common that matters.
     */
    private static String nearest(String wanted, List<String> candidates) {
        String best = null;
        int least = Integer.MAX_VALUE;
        for (String candidate : candidates) {
            int same = sameWords(wanted, candidate);
            int distance = distance(wanted.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            boolean near = distance <= Math.max(same == 0 ? 2 : 1, (wanted.length() - same) / 3);
            if (near && (distance < least || distance == least && common(wanted, candidate) > common(wanted, best))) {
                least = distance;
                best = candidate;
            }
        }
        return best;
    }

    /** How many letters the words have that both names begin with, the underscore behind each included. */
    private static int sameWords(String a, String b) {
        return a.lastIndexOf('_', common(a, b) - 1) + 1;
    }

    private static int common(String a, String b) {
        int n = 0;
        while (n < Math.min(a.length(), b.length()) && Character.toLowerCase(a.charAt(n)) == Character.toLowerCase(b.charAt(n))) {
            n++;
        }
        return n;
    }

    private static int distance(String a, String b) {
        return org.apache.spark.unsafe.types.UTF8String.fromString(a)
                .levenshteinDistance(org.apache.spark.unsafe.types.UTF8String.fromString(b));
    }
}
