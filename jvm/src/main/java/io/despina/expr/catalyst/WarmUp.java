package io.despina.expr.catalyst;

import io.despina.expr.ExpressionException;
import io.despina.expr.Scope;
import io.despina.expr.WindowNames;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/** Compiles a few expressions, so that Catalyst's classes are loaded and its slow first steps are done. */
public final class WarmUp {
    /** Until Java has compiled most of what an analysis runs through: some four seconds of one processor. */
    private static final int ROUNDS = 40;

    private WarmUp() {
    }

    /**
     * The same for who will ask for many expressions that were never asked for before, as the author of a graph does: again and
     * again, so that Java does not interpret Catalyst any more.
     */
    public static void forEdits() {
        run(() -> false);
        CatalystCompiler compiler = new CatalystCompiler(true, "UTC");
        for (int round = 0; round < ROUNDS; round++) {
            try {
                edit(compiler, round);
            } catch (ExpressionException meant) {
                continue;
            }
        }
    }

    /** Analyses what no other round does. @throws ExpressionException its last expression is wrong, as those of authors are */
    static void edit(CatalystCompiler compiler, int round) throws ExpressionException {
        String own = "r" + round;
        Schema schema = Schema.of(new Column("ts", Type.Simple.TIMESTAMP, false), new Column("n", Type.Simple.INT, true),
                new Column("s", Type.Simple.STRING, true), new Column(own, Type.Simple.INT, true));
        Scope scope = Scope.of(schema);
        compiler.predicate(scope, "n <> " + own);
        compiler.project(scope, List.of("ts", "n", "coalesce(n, " + own + ") AS m"));
        compiler.project(scope, List.of("ts", "concat(s, '-') AS t", "CAST(n AS DOUBLE) / 2 AS half"));
        compiler.aggregate(schema, List.of("s"), List.of("s", "max(n) AS most", "sum(" + own + ") AS a"), false,
                WindowNames.NONE, List.of());
        compiler.predicate(scope, "missing_" + own + " > 1");
    }

    /** @param enough asked before each step whether to stop */
    public static void run(BooleanSupplier enough) {
        Schema schema = Schema.of(new Column("ts", Type.Simple.TIMESTAMP, false), new Column("n", Type.Simple.INT, true),
                new Column("s", Type.Simple.STRING, true));
        Scope scope = Scope.of(schema);
        CatalystCompiler compiler = new CatalystCompiler(true, "UTC");
        List<Callable<?>> steps = List.of(
                () -> compiler.predicate(scope, "n BETWEEN 1 AND 5 OR s LIKE 'a%'").instance(0),
                () -> compiler.project(scope, List.of("*", "upper(s) AS u", "n + 1 AS m")).compiled().instance(0),
                () -> compiler.hash(scope, List.of("n")).instance(0),
                () -> compiler.aggregate(schema, List.of("s"), List.of("s", "window.start AS t", "count(*) AS c", "avg(n) AS a"),
                        false, WindowNames.BOUNDS, List.of()).compiled().instance(0));
        for (Callable<?> step : steps) {
            if (enough.getAsBoolean()) {
                return;
            }
            try {
                step.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
