package io.despina.expr.catalyst;

import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.misc.Interval;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.NamedExpressionContext;
import org.apache.spark.sql.internal.SQLConf;

/**
 * On Spark, a text {@code expr AS name} taken apart where SQL takes no name, as in {@code GROUP BY}: by Spark's own parser,
 * which knows a name from the {@code AS} of a cast.
 *
 * @param sql  the expression, as written
 * @param name what it is called; null if the text gives no name
 */
public record NamedText(String sql, String name) {

    /** Throws Spark's parse errors. */
    public static NamedText of(String text) {
        return Analysis.under(new SQLConf(), () -> new CatalystSqlParser().parse(text,
                parser -> of(parser.singleExpression().namedExpression())));
    }

    private static NamedText of(NamedExpressionContext parsed) {
        return new NamedText(written(parsed.expression()), parsed.name == null ? null : parsed.name.getText());
    }

    private static String written(ParserRuleContext part) {
        return part.getStart().getInputStream().getText(
                Interval.of(part.getStart().getStartIndex(), part.getStop().getStopIndex()));
    }
}
