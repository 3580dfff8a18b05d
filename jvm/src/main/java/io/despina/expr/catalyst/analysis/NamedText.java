package io.despina.expr.catalyst.analysis;

import io.despina.expr.ExpressionException.Problem;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.misc.Interval;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.NamedExpressionContext;
import org.apache.spark.sql.internal.SQLConf;

/**
 * For Spark: splits a text {@code expr AS name}, for places such as {@code GROUP BY} where SQL allows no name. Spark's own parser
 * does it, because it can tell a name from the {@code AS} of a cast.
 *
 * @param sql  the expression, as written
 * @param name the name; null if the text has none
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

    /** Adds a problem if the text ends in a name. Ignores a text that does not parse; other checks refuse it. */
    public static void refuseName(int text, String sql, Problems problems) {
        NamedExpressionContext parsed;
        try {
            parsed = new CatalystSqlParser().parse(sql, parser -> parser.singleExpression().namedExpression());
        } catch (Exception elsewhere) {
            return;
        }
        ParserRuleContext name = parsed.name != null ? parsed.name : parsed.identifierList();
        if (name == null) {
            return;
        }
        String word = written(name);
        boolean explicit = parsed.AS() != null;
        int from = explicit ? parsed.AS().getSymbol().getStartIndex() : name.getStart().getStartIndex();
        problems.add(text, from, name.getStop().getStopIndex() + 1, new Problem(0, 0, 0, "unused_alias", explicit
                ? "nothing can use the name `" + word + "` here"
                : "`" + word + "` reads as a name for `" + written(parsed.expression()) + "`, and nothing can use a name here",
                explicit ? "leave the name out" : "complete the expression, or leave `" + word + "` out"));
    }

    private static String written(ParserRuleContext part) {
        return part.getStart().getInputStream().getText(
                Interval.of(part.getStart().getStartIndex(), part.getStop().getStopIndex()));
    }
}
