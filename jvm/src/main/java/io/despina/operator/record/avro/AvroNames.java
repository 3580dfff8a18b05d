package io.despina.operator.record.avro;

import java.util.List;
import org.apache.avro.Schema;

/** Finds what belongs to a column, and says what something is. */
final class AvroNames {
    private AvroNames() {
    }

    /** The field of that name; if there is none, the only one that differs from it by case alone. -1 if there is none. */
    static int indexOf(List<Schema.Field> fields, String name) {
        int found = -1;
        for (int k = 0; k < fields.size(); k++) {
            String other = fields.get(k).name();
            if (other.equals(name)) {
                return k;
            }
            if (other.equalsIgnoreCase(name)) {
                found = found == -1 ? k : -2;
            }
        }
        return Math.max(found, -1);
    }

    /** What a schema is, for messages: {@code long (timestamp-millis)}. */
    static String of(Schema schema) {
        String name = schema.getType() == Schema.Type.RECORD || schema.getType() == Schema.Type.ENUM
                || schema.getType() == Schema.Type.FIXED ? schema.getType().getName() + " " + schema.getFullName()
                : schema.getType() == Schema.Type.UNION ? "union" : schema.getType().getName();
        Object logical = schema.getObjectProp("logicalType");
        return logical == null ? name : name + " (" + logical + ")";
    }
}
