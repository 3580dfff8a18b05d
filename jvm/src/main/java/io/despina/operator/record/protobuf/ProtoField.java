package io.despina.operator.record.protobuf;

/**
 * A field of a message.
 *
 * @param typeName  of a message or an enum; empty for other types
 * @param oneof     the number of the group of which one alone can be there; -1 for none
 * @param otherwise the value that it has if it is not there, as a text; null for none
 */
record ProtoField(String name, int number, ProtoType type, String typeName, Label label, int oneof, String otherwise) {

    /** How often it is there, and what it is if it is not. */
    enum Label {
        /** A message without it is none. */
        REQUIRED,
        /** The message says if it is there. */
        OPTIONAL,
        /** It has its zero if it is not there, and is not there if it has it. */
        IMPLICIT,
        /** It is a list, or a map. */
        REPEATED,
        /** It is a list of numbers that are written one behind the other; both ways are read. */
        PACKED
    }

    boolean repeated() {
        return label == Label.REPEATED || label == Label.PACKED;
    }

    boolean required() {
        return label == Label.REQUIRED;
    }

    boolean packed() {
        return label == Label.PACKED;
    }

    boolean presence() {
        return label == Label.REQUIRED || label == Label.OPTIONAL;
    }
}
