package io.despina.iceberg;

import io.despina.connect.LakeTable.Partition;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Type.TypeID;
import org.apache.iceberg.types.Types;

/** How a table is partitioned, in the words of a graph: {@code place}, {@code day(ts)}, {@code bucket(16, id)}. */
final class Partitions {
    private static final Pattern WORDS = Pattern.compile("(\\w+)\\((?:(\\d+), )?(.+)\\)");
    /** Iceberg's own words for a transform with a number. */
    private static final Pattern NUMBERED = Pattern.compile("(\\w+)\\[(\\d+)]");
    private static final Set<TypeID> VALUES = Set.of(TypeID.STRING, TypeID.BOOLEAN, TypeID.INTEGER, TypeID.LONG, TypeID.DATE);
    private static final Set<TypeID> TRANSFORMED = Set.of(TypeID.STRING, TypeID.BINARY, TypeID.INTEGER, TypeID.LONG, TypeID.DATE,
            TypeID.TIMESTAMP);

    private Partitions() {
    }

    /** Of a table that is to be made. @param words of which each fits the columns */
    static PartitionSpec of(Schema columns, List<String> words) {
        PartitionSpec.Builder made = PartitionSpec.builderFor(columns);
        for (String each : words) {
            Matcher parts = WORDS.matcher(each);
            if (columns.findField(each) != null || !parts.matches()) {
                made.identity(each);
                continue;
            }
            String column = parts.group(3);
            switch (parts.group(1)) {
                case "year" -> made.year(column);
                case "month" -> made.month(column);
                case "day" -> made.day(column);
                case "hour" -> made.hour(column);
                case "bucket" -> made.bucket(column, Integer.parseInt(parts.group(2)));
                case "truncate" -> made.truncate(column, Integer.parseInt(parts.group(2)));
                default -> throw new IllegalArgumentException(each);
            }
        }
        return made.build();
    }

    /** What a sink writes of partitions. */
    static List<Partition> written(PartitionSpec of) {
        return of.fields().stream().map(each -> new Partition(of.schema().findColumnName(each.sourceId()),
                each.transform().isIdentity() ? null : each.transform().toString())).toList();
    }

    static String words(Partition partition) {
        String transform = partition.transform();
        if (transform == null) {
            return partition.column();
        }
        Matcher numbered = NUMBERED.matcher(transform);
        return numbered.matches() ? numbered.group(1) + "(" + numbered.group(2) + ", " + partition.column() + ")"
                : transform.toLowerCase(Locale.ROOT) + "(" + partition.column() + ")";
    }

    /** Whether a sink can write such partitions. */
    static boolean isWritten(PartitionField field, Type source) {
        return (field.transform().isIdentity() ? VALUES : TRANSFORMED).contains(source.typeId())
                && field.transform().canTransform(source)
                && (field.transform().isVoid() || VALUES.contains(field.transform().getResultType(source).typeId()));
    }

    /** What it makes of a column's value, as a text; null for NULL. */
    static String text(Transform<?, ?> transform, Type source, Object value) {
        Object made = applied(transform, source, value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : value);
        return made == null ? null : transform.getResultType(source).typeId() == TypeID.DATE
                ? LocalDate.ofEpochDay((Integer) made).toString() : made.toString();
    }

    @SuppressWarnings("unchecked")
    private static Object applied(Transform<?, ?> transform, Type source, Object value) {
        return ((Transform<Object, Object>) transform).bind(source).apply(value);
    }

    /** The values of a file. {@link Conversions} has a text that is NULL, which may be a value of a column. */
    static StructLike values(PartitionSpec spec, List<String> texts) {
        Types.StructType types = spec.partitionType();
        PartitionData values = new PartitionData(types);
        for (int k = 0; k < texts.size(); k++) {
            Type type = types.fields().get(k).type();
            String text = texts.get(k);
            values.set(k, type.typeId() == TypeID.STRING ? text : Conversions.fromPartitionString(type, text));
        }
        return values;
    }
}
