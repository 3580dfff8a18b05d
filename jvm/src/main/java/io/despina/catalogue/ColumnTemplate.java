package io.despina.catalogue;

import io.despina.descriptor.Text;
import io.despina.packet.Column;
import io.despina.plan.PlanningContext;
import io.despina.plan.Snippet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A text of the graph in which {@code {device}} is what the column {@code device} has, as the topic of a sink. */
record ColumnTemplate(Text text) {
    private static final Pattern PART = Pattern.compile("\\{([^{}]+)}");

    /** Whether it names a column. */
    boolean varies() {
        return PART.matcher(text.value()).find();
    }

    /** The text with something else where it names columns. */
    String with(String instead) {
        return PART.matcher(text.value()).replaceAll(Matcher.quoteReplacement(instead));
    }

    /** Whether the columns are there; refuses it if not. */
    boolean areColumns(PlanningContext context) {
        Matcher part = PART.matcher(text.value());
        while (part.find()) {
            if (context.column(context.input().schema(), part.group(1), text.place(part.start(1))) < 0) {
                return false;
            }
        }
        return true;
    }

    /** The text of a row as a column of that name. NULL if one of the columns is. */
    Snippet named(String name) {
        StringBuilder sql = new StringBuilder("concat('");
        Matcher part = PART.matcher(text.value());
        int at = 0;
        while (part.find()) {
            sql.append(literal(text.value().substring(at, part.start()))).append("', CAST(").append(Column.inSql(part.group(1)))
                    .append(" AS STRING), '");
            at = part.end();
        }
        return new Snippet(sql.append(literal(text.value().substring(at))).append("') AS ").append(Column.inSql(name)).toString(),
                text, 0);
    }

    private static String literal(String plain) {
        return plain.replace("\\", "\\\\").replace("'", "\\'");
    }
}
