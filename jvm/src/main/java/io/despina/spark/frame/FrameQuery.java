package io.despina.spark.frame;

import io.despina.expr.catalyst.analysis.Scala;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias$;

/** Queries in SQL over Spark frames, which need not become views of their session. */
public final class FrameQuery {

    private FrameQuery() {
    }

    /**
     * The rows of a query. It is analysed once, and its frames are not analysed again.
     *
     * @param frames by the name that the query has for each
     * @throws ParseException if the text is no query
     */
    public static Dataset<Row> of(SparkSession session, String sql, Map<String, Dataset<Row>> frames)
            throws ParseException {
        org.apache.spark.sql.classic.SparkSession classic = (org.apache.spark.sql.classic.SparkSession) session;
        LogicalPlan parsed = classic.sessionState().sqlParser().parsePlan(sql);
        LogicalPlan plan = parsed.transformUp(Scala.<LogicalPlan>replacing(each -> {
            Dataset<Row> frame = each instanceof UnresolvedRelation relation ? frames.get(relation.tableName()) : null;
            return frame == null ? null : SubqueryAlias$.MODULE$.apply(((UnresolvedRelation) each).tableName(),
                    ((org.apache.spark.sql.classic.Dataset<Row>) frame).queryExecution().analyzed());
        }));
        return org.apache.spark.sql.classic.Dataset.ofRows(classic, plan);
    }
}
