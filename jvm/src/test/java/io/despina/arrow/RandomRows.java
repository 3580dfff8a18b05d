package io.despina.arrow;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Schemas of all types, and rows of them, as a seed says. */
public final class RandomRows {
    private static final int DEEPEST = 2;
    private static final int LONGEST = 5;
    /** Where Python's years, 1 to 9999, begin, in microseconds. */
    private static final long FIRST_MICROS = -62_135_596_800_000_000L;
    private static final long LAST_MICROS = 253_402_300_799_999_999L;
    private static final int FIRST_DAY = -719_162;
    private static final int LAST_DAY = 2_932_896;
    /** A timedelta's, in microseconds, as far as they fit into a BIGINT. */
    private static final long LONGEST_SPAN = 86_399_999_999_999_999L;

    private final Random random;

    public RandomRows(long seed) {
        random = new Random(seed);
    }

    public Schema schema() {
        return schema(random.nextInt(1, 7));
    }

    public Schema schema(int count) {
        List<Column> columns = new ArrayList<>();
        for (int k = count; k > 0; k--) {
            columns.add(new Column("c" + k, type(0), random.nextBoolean()));
        }
        return new Schema(columns);
    }

    private Type type(int depth) {
        Simple[] simple = Simple.values();
        int kind = random.nextInt(simple.length + (depth < DEEPEST ? 8 : 4));
        if (kind < simple.length) {
            return simple[kind];
        }
        return switch (kind - simple.length) {
            case 0 -> new Type.Decimal(18, random.nextInt(0, 19));
            case 1 -> new Type.Decimal(38, random.nextInt(0, 39));
            case 2 -> new Type.Interval(Type.Interval.Unit.YEAR, Type.Interval.Unit.MONTH);
            case 3 -> new Type.Interval(Type.Interval.Unit.DAY, Type.Interval.Unit.SECOND);
            case 4, 5 -> new Type.Array(type(depth + 1), true);
            case 6 -> new Type.MapOf(random.nextBoolean() ? Simple.STRING : Simple.BIGINT, type(depth + 1), true);
            default -> new Type.Struct(List.of(new Column("a", type(depth + 1), true), new Column("b", type(depth + 1), true)));
        };
    }

    public List<List<Object>> rows(Schema schema, int count) {
        List<List<Object>> rows = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            List<Object> row = new ArrayList<>();
            schema.columns().forEach(column -> row.add(column.nullable() ? orNull(column.type()) : value(column.type())));
            rows.add(row);
        }
        return rows;
    }

    private Object orNull(Type type) {
        return random.nextInt(4) == 0 ? null : value(type);
    }

    private Object value(Type type) {
        if (type instanceof Simple simple) {
            return simple(simple);
        }
        if (type instanceof Type.Decimal decimal) {
            return new BigDecimal(new BigInteger(decimal.precision() <= 18 ? 59 : 125, random)
                    .multiply(BigInteger.valueOf(random.nextBoolean() ? 1 : -1)), decimal.scale());
        }
        if (type instanceof Type.Interval interval) {
            return interval.isMonths() ? (Object) random.nextInt() : (Object) random.nextLong(-LONGEST_SPAN, LONGEST_SPAN);
        }
        if (type instanceof Type.Array array) {
            return list(array.element());
        }
        if (type instanceof Type.MapOf map) {
            Map<Object, Object> entries = new LinkedHashMap<>();
            for (int k = random.nextInt(LONGEST); k > 0; k--) {
                entries.put(value(map.key()), orNull(map.value()));
            }
            return entries;
        }
        List<Object> fields = new ArrayList<>();
        ((Type.Struct) type).fields().forEach(field -> fields.add(orNull(field.type())));
        return fields;
    }

    private List<Object> list(Type element) {
        List<Object> elements = new ArrayList<>();
        for (int k = random.nextInt(LONGEST); k > 0; k--) {
            elements.add(orNull(element));
        }
        return elements;
    }

    private Object simple(Simple type) {
        return switch (type) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) random.nextInt();
            case SMALLINT -> (short) random.nextInt();
            case INT -> random.nextInt();
            case BIGINT -> random.nextLong();
            case FLOAT -> random.nextInt(5) == 0 ? Float.NaN : random.nextFloat(-1e9f, 1e9f);
            case DOUBLE -> random.nextInt(5) == 0 ? Double.NaN : random.nextGaussian();
            case DATE -> random.nextInt(FIRST_DAY, LAST_DAY);
            case TIMESTAMP, TIMESTAMP_NTZ -> random.nextLong(FIRST_MICROS, LAST_MICROS);
            case STRING -> "ä°x🙂y".substring(0, random.nextBoolean() ? 0 : 3) + random.nextInt(LONGEST);
            case BINARY -> {
                byte[] bytes = new byte[random.nextInt(LONGEST)];
                random.nextBytes(bytes);
                yield ByteBuffer.wrap(bytes);
            }
        };
    }
}
