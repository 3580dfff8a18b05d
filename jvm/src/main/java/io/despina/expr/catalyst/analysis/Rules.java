package io.despina.expr.catalyst.analysis;

import java.util.List;
import org.apache.spark.sql.catalyst.optimizer.CollapseProject$;
import org.apache.spark.sql.catalyst.optimizer.ConstantFolding$;
import org.apache.spark.sql.catalyst.optimizer.InsertMapSortInAggregate$;
import org.apache.spark.sql.catalyst.optimizer.PullOutGroupingExpressions$;
import org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions$;
import org.apache.spark.sql.catalyst.optimizer.RewriteWithExpression$;
import org.apache.spark.sql.catalyst.optimizer.SpecialDatetimeValues$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

/**
 * The rules after analysis that correctness needs, in order, and five for speed: {@link Rounding}, {@link Products}, {@link
 * Splitting}, {@link Casing} and {@code CollapseProject}.
 * EliminateSubqueryAliases is not needed, because readers of the plan use only projections and the aggregate, which refer to
 * columns by id.
 *
 * @param collapse whether projections on top of one another become one ({@code CollapseProject})
 */
record Rules(List<Rule<LogicalPlan>> rules, boolean collapse) {

    /** The rules with the moment of this call as {@code now()}. */
    static Rules standard() {
        return new Rules(List.of(
                ReplaceExpressions$.MODULE$,            // expands nvl, try_add …, which have no code of their own
                PullOutGroupingExpressions$.MODULE$,    // recognizes a group's BETWEEN that is repeated in a result
                InsertMapSortInAggregate$.MODULE$,      // makes map keys equal whatever the order of their entries
                new JobInstant(JobInstant.now()),       // now() is one time for the whole job
                SpecialDatetimeValues$.MODULE$,         // 'epoch' as a date
                RewriteWithExpression$.MODULE$,         // between, nullif: evaluates their operand once
                new LargeValues(),                      // before a constant of 2 GB is computed
                ConstantFolding$.MODULE$,               // typeof and others have no code of their own
                new Rounding(),                         // round(DOUBLE) without decimals; behind ConstantFolding, for its scale
                new Products(),                         // decimals whose digits are longs; behind ConstantFolding, for constants
                new Splitting(),                        // split, split_part without regular expressions
                new Casing()),                          // upper, lower of ASCII without ICU
                true);
    }

    /** The same for a job of that time. */
    Rules at(long instantMicros) {
        return new Rules(rules.stream().map(r -> r instanceof JobInstant ? new JobInstant(instantMicros) : r).toList(), collapse);
    }

    /** For tests: the same without the rule of that class. */
    Rules without(String simpleName) {
        return new Rules(rules.stream().filter(r -> !name(r).equals(simpleName)).toList(), !simpleName.equals("CollapseProject"));
    }

    static String name(Rule<LogicalPlan> rule) {
        return rule.getClass().getSimpleName().replace("$", "");
    }

    LogicalPlan apply(LogicalPlan analyzed) {
        LogicalPlan plan = analyzed;
        for (Rule<LogicalPlan> rule : rules) {
            plan = rule == RewriteWithExpression$.MODULE$ ? untilNothingChanges(rule, plan) : rule.apply(plan);
        }
        return collapse ? CollapseProject$.MODULE$.apply(plan, true) : plan;
    }

    /** Nested NULLIFs are rewritten from the outside in, one level at a time, so Spark too repeats the rule. */
    private static LogicalPlan untilNothingChanges(Rule<LogicalPlan> rule, LogicalPlan given) {
        LogicalPlan before = given;
        LogicalPlan plan = rule.apply(before);
        while (!plan.fastEquals(before)) {
            before = plan;
            plan = rule.apply(before);
        }
        return plan;
    }
}
