package io.despina.expr.catalyst.analysis;

import io.despina.expr.ExpressionException.Problem;
import org.apache.spark.sql.catalyst.trees.CurrentOrigin$;
import org.apache.spark.sql.catalyst.trees.Origin;

/** What we refuse in the midst of Spark's analysis, which would take it. */
final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;
    static final String FUNCTION = "forbidden_function";

    private final transient Origin origin;
    private final transient Problem problem;

    Refused(Origin origin, String rule, String message, String hint) {
        super(message);
        this.origin = origin;
        problem = new Problem(0, 0, 0, rule, message, hint);
    }

    /** The function that Spark is just about to resolve. */
    static Refused function(String message, String hint) {
        return new Refused(CurrentOrigin$.MODULE$.get(), FUNCTION, message, hint);
    }

    /** Where in its text. */
    Origin origin() {
        return origin;
    }

    Problem problem() {
        return problem;
    }
}
