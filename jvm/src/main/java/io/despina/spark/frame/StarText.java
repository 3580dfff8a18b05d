package io.despina.spark.frame;

import io.despina.expr.catalyst.analysis.Analysis;
import java.util.List;
import java.util.TreeMap;
import org.antlr.v4.runtime.tree.ParseTree;
import org.antlr.v4.runtime.tree.TerminalNode;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.FunctionCallContext;
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.StarContext;
import org.apache.spark.sql.internal.SQLConf;

/** For Spark: rewrites texts of a select list so that {@code *} leaves out the columns that the translation has added. */
public final class StarText {
    private final String except;
    /** Texts to insert, by the index in code points before which they go. */
    private final TreeMap<Integer, String> insertions = new TreeMap<>();

    private StarText(String except) {
        this.except = except;
    }

    /**
     * Throws Spark's parse errors.
     *
     * @param columns names as in SQL
     */
    public static String without(String text, List<String> columns) {
        StarText stars = new StarText(String.join(", ", columns));
        return columns.isEmpty() ? text : Analysis.under(new SQLConf(), () -> new CatalystSqlParser().parse(text, parser -> {
            stars.find(parser.singleExpression());
            return stars.inserted(text);
        }));
    }

    private void find(ParseTree tree) {
        if (tree instanceof StarContext star && star.qualifiedName() == null) {
            leaveOut(star);
            return;
        }
        if (tree instanceof FunctionCallContext call && countsRows(call)) {
            if (call.where != null) {
                find(call.where);
            }
            return;
        }
        for (int k = 0; k < tree.getChildCount(); k++) {
            find(tree.getChild(k));
        }
    }

    private void leaveOut(StarContext star) {
        if (star.exceptClause() == null) {
            insertions.put(end(star.ASTERISK()), " EXCEPT (" + except + ")");
        } else {
            insertions.put(end(star.exceptClause().RIGHT_PAREN()) - 1, ", " + except);
        }
    }

    /** {@code count(*)} means no columns. */
    private static boolean countsRows(FunctionCallContext call) {
        return call.functionName().getText().replace("`", "").equalsIgnoreCase("count")
                && (call.setQuantifier() == null || call.setQuantifier().DISTINCT() == null)
                && call.functionArgument().size() == 1 && call.functionArgument(0).getText().equals("*");
    }

    private static int end(TerminalNode node) {
        return node.getSymbol().getStopIndex() + 1;
    }

    private String inserted(String text) {
        StringBuilder whole = new StringBuilder(text);
        insertions.descendingMap().forEach((place, more) -> whole.insert(text.offsetByCodePoints(0, place), more));
        return whole.toString();
    }
}
