package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads one file of a descriptor file: a FileDescriptorProto of descriptor.proto, whose numbers of fields are those below. */
final class ProtoParser {
    private static final int MOST_DEPTH = 100;
    private static final int LABEL_REQUIRED = 2;
    private static final int LABEL_REPEATED = 3;

    private final Map<String, ProtoMessage> messages;
    private final Map<String, ProtoEnum> enums;
    private boolean isProto3;

    /** Takes a field of a descriptor. */
    private interface Taker {
        void take(int number, Value value) throws ProtobufException;
    }

    /** Where the value of a field is. */
    private record Value(byte[] bytes, int from, int to) {

        String text() {
            return new String(bytes, from, to - from, StandardCharsets.UTF_8);
        }

        long number() {
            ByteCursor in = new ByteCursor();
            in.open(bytes, from, to);
            return in.varint();
        }

        void each(Taker taker) throws ProtobufException {
            ByteCursor in = new ByteCursor();
            in.open(bytes, from, to);
            ProtoWire wire = new ProtoWire(in);
            while (wire.next()) {
                if (wire.wire() == ProtoWire.BYTES || wire.wire() == ProtoWire.VARINT) {
                    taker.take(wire.number(), new Value(bytes, wire.from(), wire.to()));
                }
            }
        }
    }

    /** What is read of a field, before it is known of which file it is. */
    private static final class Draft {
        String name = "";
        int number;
        long label;
        long type;
        String typeName = "";
        String otherwise;
        int oneof = -1;
        Boolean packed;
        boolean optional3;
    }

    ProtoParser(Map<String, ProtoMessage> messages, Map<String, ProtoEnum> enums) {
        this.messages = messages;
        this.enums = enums;
    }

    void file(byte[] bytes, int from, int to) throws ProtobufException {
        Value file = new Value(bytes, from, to);
        String[] texts = {"", "", "proto2"};
        file.each((number, value) -> {
            switch (number) {
                case 1 -> texts[0] = value.text();
                case 2 -> texts[1] = value.text();
                case 12 -> texts[2] = value.text();
                default -> { }
            }
        });
        if (!texts[2].equals("proto2") && !texts[2].equals("proto3")) {
            throw new ProtobufException(texts[0] + " is written in " + texts[2]
                    + ", which cannot be read yet: syntax = \"proto3\" or \"proto2\" can");
        }
        isProto3 = texts[2].equals("proto3");
        String prefix = texts[1].isEmpty() ? "" : texts[1] + ".";
        int[] index = {0};
        file.each((number, value) -> {
            if (number == 4) {
                message(prefix, value, List.of(index[0]++));
            } else if (number == 5) {
                enumeration(prefix, value);
            }
        });
    }

    private void message(String prefix, Value at, List<Integer> path) throws ProtobufException {
        if (path.size() > MOST_DEPTH) {
            throw new BrokenRecord("more than " + MOST_DEPTH + " messages within each other");
        }
        String[] name = {""};
        boolean[] isEntry = {false};
        List<Draft> drafts = new ArrayList<>();
        at.each((number, value) -> {
            switch (number) {
                case 1 -> name[0] = prefix + value.text();
                case 2 -> drafts.add(draft(value));
                case 7 -> value.each((option, set) -> isEntry[0] |= option == 7 && set.number() != 0);
                default -> { }
            }
        });
        int[] index = {0};
        at.each((number, value) -> {
            if (number == 3) {
                List<Integer> inner = new ArrayList<>(path);
                inner.add(index[0]++);
                message(name[0] + ".", value, inner);
            } else if (number == 4) {
                enumeration(name[0] + ".", value);
            }
        });
        List<ProtoField> fields = new ArrayList<>();
        for (Draft draft : drafts) {
            fields.add(field(draft, name[0], drafts.size()));
        }
        ProtoMessage made = new ProtoMessage(name[0], fields, isEntry[0], path);
        if (made.isEntry() && !isWhole(made.numbered(1), made.numbered(2))) {
            throw new ProtobufException("the entry " + name[0] + " of a map has no key, no value, or one that a map cannot have");
        }
        messages.put(name[0], made);
    }

    /** Whether they are the key and the value of a map. */
    private static boolean isWhole(ProtoField key, ProtoField value) {
        return key != null && value != null && !key.repeated() && !value.repeated() && value.type() != ProtoType.GROUP
                && (key.type().isInteger() || key.type() == ProtoType.BOOL || key.type() == ProtoType.STRING);
    }

    private static Draft draft(Value at) throws ProtobufException {
        Draft draft = new Draft();
        at.each((number, value) -> {
            switch (number) {
                case 1 -> draft.name = value.text();
                case 3 -> draft.number = (int) value.number();
                case 4 -> draft.label = value.number();
                case 5 -> draft.type = value.number();
                case 6 -> draft.typeName = value.text();
                case 7 -> draft.otherwise = value.text();
                case 8 -> value.each((option, set) -> draft.packed = option == 2 ? Boolean.valueOf(set.number() != 0)
                        : draft.packed);
                case 9 -> draft.oneof = (int) value.number();
                case 17 -> draft.optional3 = value.number() != 0;
                default -> { }
            }
        });
        return draft;
    }

    /** @param fields how many the message has; no more groups are in it */
    private ProtoField field(Draft draft, String message, int fields) throws ProtobufException {
        ProtoType type = ProtoType.of(draft.type);
        boolean isNamed = type == ProtoType.ENUM || type != null && type.isMessage();
        if (type == null || draft.number < 1 || draft.name.isEmpty() || isNamed && !draft.typeName.startsWith(".")) {
            throw new ProtobufException("the field `" + draft.name + "` of " + message + " has no type or number that there is");
        }
        if (draft.oneof < -1 || draft.oneof >= fields) {
            throw new ProtobufException("the field `" + draft.name + "` of " + message + " is of the oneof " + draft.oneof
                    + ", which is not there");
        }
        return new ProtoField(draft.name, draft.number, type, isNamed ? draft.typeName.substring(1) : "", label(draft, type),
                draft.optional3 ? -1 : draft.oneof, draft.otherwise);
    }

    private ProtoField.Label label(Draft draft, ProtoType type) {
        if (draft.label == LABEL_REPEATED) {
            boolean packed = draft.packed == null ? isProto3 : draft.packed;
            return packed && type.canPack() ? ProtoField.Label.PACKED : ProtoField.Label.REPEATED;
        }
        if (draft.label == LABEL_REQUIRED) {
            return ProtoField.Label.REQUIRED;
        }
        boolean presence = !isProto3 || draft.optional3 || draft.oneof >= 0 || type.isMessage();
        return presence ? ProtoField.Label.OPTIONAL : ProtoField.Label.IMPLICIT;
    }

    private void enumeration(String prefix, Value at) throws ProtobufException {
        String[] name = {""};
        at.each((number, value) -> name[0] = number == 1 ? prefix + value.text() : name[0]);
        ProtoEnum made = new ProtoEnum(name[0], !isProto3);
        at.each((number, value) -> {
            if (number == 2) {
                String[] of = {""};
                int[] is = {0};
                value.each((part, inner) -> {
                    if (part == 1) {
                        of[0] = inner.text();
                    } else if (part == 2) {
                        is[0] = (int) inner.number();
                    }
                });
                made.add(of[0], is[0]);
            }
        });
        enums.put(name[0], made);
    }
}
