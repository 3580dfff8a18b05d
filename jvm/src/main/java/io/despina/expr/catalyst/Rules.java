package io.despina.expr.catalyst;

import java.util.List;
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases$;
import org.apache.spark.sql.catalyst.optimizer.CollapseProject$;
import org.apache.spark.sql.catalyst.optimizer.ComputeCurrentTime$;
import org.apache.spark.sql.catalyst.optimizer.ConstantFolding$;
import org.apache.spark.sql.catalyst.optimizer.InsertMapSortInAggregate$;
import org.apache.spark.sql.catalyst.optimizer.PullOutGroupingExpressions$;
import org.apache.spark.sql.catalyst.optimizer.ReplaceCurrentLike;
import org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions$;
import org.apache.spark.sql.catalyst.optimizer.RewriteWithExpression$;
import org.apache.spark.sql.catalyst.optimizer.SpecialDatetimeValues$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.connector.catalog.CatalogManager;

/** Those of Spark's rules after analysis that correctness needs, in their order. No rule here only makes things faster. */
record Rules(List<Rule<LogicalPlan>> rules) {

    static Rules standard(CatalogManager catalogs) {
        return new Rules(List.of(
                EliminateSubqueryAliases$.MODULE$,      // names have done their work
                ReplaceExpressions$.MODULE$,            // nvl, try_add … to what they stand for: they have no code of their own
                PullOutGroupingExpressions$.MODULE$,    // a result may repeat a group's expression
                InsertMapSortInAggregate$.MODULE$,      // maps as keys: equal whatever the order of their entries
                ComputeCurrentTime$.MODULE$,            // now() is one time for the whole job
                new ReplaceCurrentLike(catalogs),       // current_database() …
                SpecialDatetimeValues$.MODULE$,         // 'today' as a date
                RewriteWithExpression$.MODULE$,         // between, nullif: their operand is worked out once
                ConstantFolding$.MODULE$));             // typeof and others have no code of their own
    }

    /** For tests: the same without the rule of that class. */
    Rules without(String simpleName) {
        return new Rules(rules.stream().filter(r -> !name(r).equals(simpleName)).toList());
    }

    static String name(Rule<LogicalPlan> rule) {
        return rule.getClass().getSimpleName().replace("$", "");
    }

    LogicalPlan apply(LogicalPlan analyzed) {
        LogicalPlan plan = analyzed;
        for (Rule<LogicalPlan> rule : rules) {
            plan = rule.apply(plan);
        }
        return CollapseProject$.MODULE$.apply(plan, true);
    }
}
