package io.despina.operator.record.protobuf;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** An enum: its names by their numbers. */
final class ProtoEnum {
    private final String name;
    /** Whether a number without a name is no value. Numbers of others may be anything. */
    private final boolean closed;
    private final Map<Integer, byte[]> names = new LinkedHashMap<>();
    private final Map<String, Integer> numbers = new LinkedHashMap<>();
    private int first;

    ProtoEnum(String name, boolean closed) {
        this.name = name;
        this.closed = closed;
    }

    /** Of two names of one number, the first is read. */
    void add(String value, int number) {
        first = numbers.isEmpty() ? number : first;
        names.putIfAbsent(number, value.getBytes(StandardCharsets.UTF_8));
        numbers.put(value, number);
    }

    String name() {
        return name;
    }

    /** Whether such a number is no value, as if its field were not there. */
    boolean passesOver(int number) {
        return closed && !names.containsKey(number);
    }

    /** The number of the value that stands first. */
    int first() {
        return first;
    }

    /** Null for a name that it does not have. */
    Integer number(String value) {
        return numbers.get(value);
    }

    /** As Spark writes a number without a name, and Protobuf's library for Java. */
    byte[] text(int number) {
        byte[] known = names.get(number);
        return known != null ? known : ("UNKNOWN_ENUM_VALUE_" + name.substring(name.lastIndexOf('.') + 1) + "_" + number)
                .getBytes(StandardCharsets.UTF_8);
    }

    String values() {
        return String.join(", ", numbers.keySet());
    }
}
