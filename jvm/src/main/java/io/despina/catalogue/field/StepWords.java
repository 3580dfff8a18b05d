package io.despina.catalogue.field;

import io.despina.descriptor.Nearest;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.ExpressionException;
import io.despina.packet.Schema;
import io.despina.plan.ExpressionChecker;
import io.despina.plan.Snippet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an expression of a pattern cannot name of its steps, and why. */
public record StepWords(List<Values> steps, Schema in) implements ExpressionChecker.Explanation {
    private static final String PATH = "there is no column `([^`]*)`(?:\\.`([^`]*)`)?";

    @Override
    public ExpressionException.Problem of(Snippet snippet, ExpressionException.Problem problem) {
        Matcher named = Pattern.compile(PATH).matcher(problem.message());
        if (!problem.rule().equals(Rule.UNKNOWN_COLUMN.code()) || !named.matches()) {
            return problem;
        }
        String name = named.group(1);
        String column = named.group(2);
        Values step = steps.stream().filter(each -> name(each).equalsIgnoreCase(name)).findFirst().orElse(null);
        if (column == null && step == null && !isCounted(snippet, name)) {
            return problem;
        }
        if (step == null) {
            return problem.with("there is no step `" + name + "`", Nearest.hint(name, taking()));
        }
        if (step.flag("not")) {
            return problem.with("step `" + name + "` is `not`: it takes no packet", "steps that take one: "
                    + String.join(", ", taking()));
        }
        return problem.with(problem.message(), column == null
                ? "`" + name + "` is a step: write `" + name + "." + in.column(0).name() + "` or `count(" + name + ")`"
                : Nearest.hint(name + "." + column, in.names().stream().map(each -> name + "." + each).toList()));
    }

    private static boolean isCounted(Snippet snippet, String name) {
        return Pattern.compile("(?i)\\bcount\\s*\\(\\s*" + Pattern.quote(name) + "\\s*\\)").matcher(snippet.sql()).find();
    }

    private List<String> taking() {
        return steps.stream().filter(step -> !step.flag("not")).map(StepWords::name).toList();
    }

    private static String name(Values step) {
        return step.text("name").value();
    }
}
