package io.despina.expr.catalyst.analysis;

import io.despina.expr.ExpressionException.Problem;
import org.apache.spark.sql.catalyst.trees.CurrentOrigin$;
import org.apache.spark.sql.catalyst.trees.Origin;

/** Thrown during Spark's analysis for what Spark would accept and we refuse. */
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

    /** Refuses the function that Spark is about to resolve. */
    static Refused function(String message, String hint) {
        return new Refused(CurrentOrigin$.MODULE$.get(), FUNCTION, message, hint);
    }

    /** The place in the text. */
    Origin origin() {
        return origin;
    }

    Problem problem() {
        return problem;
    }
}
