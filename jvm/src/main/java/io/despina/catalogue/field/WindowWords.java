package io.despina.catalogue.field;

import io.despina.descriptor.Rule;
import io.despina.expr.ExpressionException;
import io.despina.plan.ExpressionChecker;
import io.despina.plan.Snippet;
import io.despina.spec.Window;
import io.despina.spec.Windows;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a select list cannot name of its window, and why. */
public record WindowWords(Window window) implements ExpressionChecker.Explanation {
    private static final String NAME = "there is no (?:field `(\\w+)`|column `window(?:_time)?`(?:\\.`\\w+`)?)";

    @Override
    public ExpressionException.Problem of(Snippet snippet, ExpressionException.Problem problem) {
        Matcher named = Pattern.compile(NAME).matcher(problem.message());
        if (!problem.rule().equals(Rule.UNKNOWN_COLUMN.code()) || !named.matches()) {
            return problem;
        }
        String hint = named.group(1) == null ? withoutBorders() : field(named.group(1));
        return hint == null ? problem : problem.with(problem.message(), hint);
    }

    private String withoutBorders() {
        if (window instanceof Window.Trailing || window instanceof Window.TrailingCount) {
            return "a trailing window has no borders: it ends with the packet whose row it gives";
        }
        return window instanceof Window.Final || window instanceof Window.Each
                ? "this aggregate has no `window`, so its rows have no borders: give it one" : null;
    }

    private String field(String name) {
        return switch (name) {
            case "revision", "final" -> window instanceof Windows || window instanceof Window.Session
                    ? "add `fire` or `late_within_ms` to the window: then it gives several rows, which say this"
                    : "only a tumbling, sliding or session window with `fire` or `late_within_ms` has it";
            case "from", "to" -> "only a progress window has `window.from` and `window.to`";
            default -> null;
        };
    }
}
