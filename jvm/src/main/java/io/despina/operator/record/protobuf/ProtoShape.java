package io.despina.operator.record.protobuf;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The fields of a message that are looked for while it is read, each with a slot: those that are asked for, those that a message
 * must have, and those of a group of which one alone can be there.
 */
final class ProtoShape {
    private static final int NONE = -1;
    /** Numbers below it are found without a search; few fields have others. */
    private static final int DIRECT = 256;

    private final ProtoMessage message;
    private final List<ProtoField> fields = new ArrayList<>();
    private final int[] direct;
    /** Numbers from {@link #DIRECT} on. */
    private final Map<Integer, Integer> others = new LinkedHashMap<>();
    private final int oneofs;
    /** Per slot. */
    private final int[] oneof;
    private final ProtoType[] types;
    private final boolean[] repeated;
    /** Per slot: null for other types than enums. */
    private final ProtoEnum[] enums;
    private final int[] required;

    /** @param wanted fields of the message, without doubles */
    ProtoShape(ProtoFile file, ProtoMessage message, Collection<ProtoField> wanted) throws ProtobufException {
        this.message = message;
        for (ProtoField field : message.fields()) {
            boolean isBeside = field.oneof() >= 0 && wanted.stream().anyMatch(other -> other.oneof() == field.oneof());
            if (wanted.contains(field) || field.required() || isBeside) {
                fields.add(field);
            }
        }
        int size = fields.size();
        direct = IntStream.range(0, DIRECT).map(k -> NONE).toArray();
        oneof = new int[size];
        types = new ProtoType[size];
        repeated = new boolean[size];
        enums = new ProtoEnum[size];
        for (int slot = 0; slot < size; slot++) {
            ProtoField field = fields.get(slot);
            if (field.number() < DIRECT) {
                direct[field.number()] = slot;
            } else {
                others.put(field.number(), slot);
            }
            oneof[slot] = field.oneof();
            types[slot] = field.type();
            repeated[slot] = field.repeated();
            enums[slot] = field.type() == ProtoType.ENUM && !message.isEntry() && wanted.contains(field) ? file.enumOf(field)
                    : null;
        }
        oneofs = 1 + fields.stream().mapToInt(ProtoField::oneof).max().orElse(NONE);
        required = IntStream.range(0, size).filter(slot -> fields.get(slot).required()).toArray();
    }

    String name() {
        return message.name();
    }

    /** Whether it is the entry of a map. */
    boolean isEntry() {
        return message.isEntry();
    }

    int size() {
        return fields.size();
    }

    /** Groups of fields of which one alone can be there. */
    int oneofs() {
        return oneofs;
    }

    int slot(ProtoField field) {
        return fields.indexOf(field);
    }

    ProtoField field(int slot) {
        return fields.get(slot);
    }

    /** Of the field with that number, written so; -1 for one that nobody asks for, or that is not of its type. */
    int slot(int number, int wire) {
        int slot = number < DIRECT ? direct[number] : others.getOrDefault(number, NONE);
        if (slot < 0 || types[slot].wire == wire || repeated[slot] && wire == ProtoWire.BYTES && types[slot].canPack()) {
            return slot;
        }
        return NONE;
    }

    /** The group that the field is one of; -1 for none. */
    int oneof(int slot) {
        return oneof[slot];
    }

    boolean isRepeated(int slot) {
        return repeated[slot];
    }

    boolean isMessage(int slot) {
        return types[slot].isMessage();
    }

    /** Its enum, if it is a single value of one. */
    ProtoEnum singleEnum(int slot) {
        return repeated[slot] ? null : enums[slot];
    }

    /** Those without which a message is none. */
    int[] required() {
        return required;
    }
}
