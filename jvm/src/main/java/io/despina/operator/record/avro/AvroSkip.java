package io.despina.operator.record.avro;

import io.despina.operator.record.value.ByteCursor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.avro.Schema;

/** Passes over values of a writer's schema, which may contain itself. */
final class AvroSkip {
    private enum AvroShape { NOTHING, NUMBER, BYTES, FIXED, RECORD, ARRAY, MAP, UNION }

    private final AvroShape form;
    private final int size;
    private AvroSkip[] inner = {};
    /** Null until somebody asks. */
    private Boolean empty;

    private AvroSkip(AvroShape form, int size) {
        this.form = form;
        this.size = size;
    }

    static AvroSkip of(Schema schema) {
        return of(schema, new HashMap<>());
    }

    private static AvroSkip of(Schema schema, Map<String, AvroSkip> records) {
        return switch (schema.getType()) {
            case NULL -> new AvroSkip(AvroShape.NOTHING, 0);
            case BOOLEAN -> new AvroSkip(AvroShape.FIXED, 1);
            case INT, LONG, ENUM -> new AvroSkip(AvroShape.NUMBER, 0);
            case FLOAT -> new AvroSkip(AvroShape.FIXED, Integer.BYTES);
            case DOUBLE -> new AvroSkip(AvroShape.FIXED, Long.BYTES);
            case STRING, BYTES -> new AvroSkip(AvroShape.BYTES, 0);
            case FIXED -> new AvroSkip(AvroShape.FIXED, schema.getFixedSize());
            case ARRAY -> of(AvroShape.ARRAY, List.of(schema.getElementType()), records);
            case MAP -> of(AvroShape.MAP, List.of(schema.getValueType()), records);
            case UNION -> of(AvroShape.UNION, schema.getTypes(), records);
            case RECORD -> record(schema, records);
        };
    }

    private static AvroSkip of(AvroShape form, List<Schema> inner, Map<String, AvroSkip> records) {
        AvroSkip skip = new AvroSkip(form, 0);
        skip.inner = inner.stream().map(each -> of(each, records)).toArray(AvroSkip[]::new);
        return skip;
    }

    private static AvroSkip record(Schema schema, Map<String, AvroSkip> records) {
        AvroSkip known = records.get(schema.getFullName());
        if (known != null) {
            return known;
        }
        AvroSkip skip = new AvroSkip(AvroShape.RECORD, 0);
        records.put(schema.getFullName(), skip);
        skip.inner = schema.getFields().stream().map(field -> of(field.schema(), records)).toArray(AvroSkip[]::new);
        return skip;
    }

    /** Whether such values have no bytes at all. */
    boolean isEmpty() {
        if (empty == null) {
            empty = false;      // of a record that contains itself: it has bytes, which say where that ends
            empty = form == AvroShape.NOTHING || form == AvroShape.FIXED && size == 0
                    || form == AvroShape.RECORD && Stream.of(inner).allMatch(AvroSkip::isEmpty);
        }
        return empty;
    }

    void skip(ByteCursor in) {
        switch (form) {
            case NOTHING -> { }
            case NUMBER -> in.zigzag();
            case BYTES -> in.take(in.zigzag());
            case FIXED -> in.take(size);
            default -> skipInner(in);
        }
    }

    private void skipInner(ByteCursor in) {
        in.enter();
        switch (form) {
            case RECORD -> {
                for (AvroSkip each : inner) {
                    each.skip(in);
                }
            }
            case UNION -> inner[AvroValue.index(in, inner.length)].skip(in);
            default -> AvroItems.skip(in, inner[0], form == AvroShape.MAP);
        }
        in.leave();
    }
}
