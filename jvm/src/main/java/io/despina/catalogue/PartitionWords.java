package io.despina.catalogue;

import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.operator.connect.PartitionTexts;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import io.despina.plan.PlanningContext;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a table is partitioned by, as a graph says it.
 *
 * @param text   with the column's own name: {@code place}, {@code day(ts)}, {@code bucket(16, id)}
 * @param column its name
 */
record PartitionWords(String text, String column) {
    static final String DOC = "`day(ts)`, `hour(ts)`, `month(ts)`, `year(ts)`, `bucket(16, id)`, `truncate(4, name)`";

    private static final Pattern TRANSFORM = Pattern.compile("(?i)(year|month|day|hour|bucket|truncate)\\("
            + "(?:\\s*([1-9]\\d{0,8})\\s*,)?(.+)\\)");
    private static final Set<String> NUMBERED = Set.of("bucket", "truncate");
    private static final Set<Type> DAYS = Set.of(Simple.DATE, Simple.TIMESTAMP, Simple.TIMESTAMP_NTZ);
    private static final Set<Type> INSTANTS = Set.of(Simple.TIMESTAMP, Simple.TIMESTAMP_NTZ);
    private static final Map<String, Set<Type>> TAKEN = Map.of("year", DAYS, "month", DAYS, "day", DAYS, "hour", INSTANTS,
            "bucket", Set.of(Simple.INT, Simple.BIGINT, Simple.DATE, Simple.TIMESTAMP, Simple.TIMESTAMP_NTZ, Simple.STRING,
                    Simple.BINARY),
            "truncate", Set.of(Simple.INT, Simple.BIGINT, Simple.STRING));

    /** @param transforms whether values may be made of columns @return null after a refusal */
    static PartitionWords of(PlanningContext context, Schema in, Text written, boolean transforms) {
        Matcher parts = TRANSFORM.matcher(written.value().strip());
        if (!transforms || in.indexOf(written.value()) >= 0 || !parts.matches()) {
            return value(context, in, written);
        }
        String transform = parts.group(1).toLowerCase(Locale.ROOT);
        boolean numbered = NUMBERED.contains(transform);
        if (numbered == (parts.group(2) == null)) {
            return context.refuse(written.place(), Rule.OUT_OF_RANGE, "`" + written.value() + "` has " + (numbered
                    ? "no number" : "a number that it does not need"), "one of " + DOC);
        }
        int column = context.column(in, parts.group(3).strip(), written.place());
        if (column < 0) {
            return null;
        }
        String own = in.column(column).name();
        Type type = in.column(column).type();
        if (!TAKEN.get(transform).contains(type) || !PartitionTexts.isGiven(type)) {
            return context.refuse(written.place(), Rule.COLUMN_TYPE, "`" + own + "` is " + type.sql() + ", of which there is no `"
                    + transform + "`", "CAST it in a project before");
        }
        return new PartitionWords(transform + "(" + (numbered ? parts.group(2) + ", " : "") + own + ")", own);
    }

    private static PartitionWords value(PlanningContext context, Schema in, Text written) {
        int column = context.column(in, written.value(), written.place());
        if (column < 0) {
            return null;
        }
        String own = in.column(column).name();
        return PartitionTexts.has(in.column(column).type()) ? new PartitionWords(own, own) : context.refuse(written.place(),
                Rule.COLUMN_TYPE, "`" + own + "` is " + in.column(column).type().sql() + ", and a partition is a text, a whole "
                + "number, a date or true and false", "CAST it in a project before");
    }
}
