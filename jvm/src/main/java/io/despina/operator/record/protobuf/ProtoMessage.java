package io.despina.operator.record.protobuf;

import java.util.List;

/**
 * A type of message.
 *
 * @param name    with its package: {@code plant.Reading}
 * @param isEntry whether it is the entry of a map: a key of number 1 and a value of number 2
 * @param path    where it stands in its file: its index among the messages there, then in each, from the outermost
 */
record ProtoMessage(String name, List<ProtoField> fields, boolean isEntry, List<Integer> path) {

    ProtoMessage {
        fields = List.copyOf(fields);
        path = List.copyOf(path);
    }

    /** The field of that name; if there is none, the only one that differs from it by case alone. Null if there is none. */
    ProtoField find(String column) {
        ProtoField found = null;
        int others = 0;
        for (ProtoField field : fields) {
            if (field.name().equals(column)) {
                return field;
            }
            if (field.name().equalsIgnoreCase(column)) {
                found = field;
                others++;
            }
        }
        return others == 1 ? found : null;
    }

    /** The field of that number; null if there is none. */
    ProtoField numbered(int number) {
        return fields.stream().filter(field -> field.number() == number).findFirst().orElse(null);
    }

    String fieldNames() {
        return fields.isEmpty() ? "no fields" : String.join(", ", fields.stream().map(ProtoField::name).toList());
    }
}
