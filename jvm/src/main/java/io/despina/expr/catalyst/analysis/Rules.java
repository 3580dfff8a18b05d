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
 * Those of Spark's rules after analysis that correctness needs, in their order, and one that spares boxing.
 * EliminateSubqueryAliases is not among them: what reads the plan looks at projections and the aggregate only, which know their
 * columns by id.
 *
 * @param collapse whether projections on top of one another become one ({@code CollapseProject})
 */
record Rules(List<Rule<LogicalPlan>> rules, boolean collapse) {

    /** Those whose {@code now()} is the moment of this call. */
    static Rules standard() {
        return new Rules(List.of(
                ReplaceExpressions$.MODULE$,            // nvl, try_add … to what they stand for: they have no code of their own
                PullOutGroupingExpressions$.MODULE$,    // a group's BETWEEN, repeated in a result, is known again
                InsertMapSortInAggregate$.MODULE$,      // maps as keys: equal whatever the order of their entries
                new JobInstant(JobInstant.now()),       // now() is one time for the whole job
                SpecialDatetimeValues$.MODULE$,         // 'epoch' as a date
                RewriteWithExpression$.MODULE$,         // between, nullif: their operand is worked out once
                new LargeValues(),                      // before a constant of 2 GB is worked out
                ConstantFolding$.MODULE$),              // typeof and others have no code of their own
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

    /**
     * One NULLIF within another is rewritten from the outside in, one level at a time: Spark too runs the rule again and again.
     */
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
