package io.despina.operator.connect;

import io.despina.operator.record.ScratchPackets;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Values of partition columns, as the logs of tables have them. */
public final class PartitionTexts {
    private static final Set<Type> TYPES = Set.of(Simple.STRING, Simple.BOOLEAN, Simple.TINYINT, Simple.SMALLINT, Simple.INT,
            Simple.BIGINT, Simple.DATE);

    private final Schema in;
    private final List<Integer> columns;

    PartitionTexts(Schema in, List<String> names) {
        this.in = in;
        columns = names.stream().map(in::indexOf).toList();
    }

    /** Whether a column of that type can be one. */
    public static boolean has(Type type) {
        return TYPES.contains(type);
    }

    /** Why a packet is in no partition; null if it is in one. */
    String problem(Packet packet) {
        for (int column : columns) {
            if (in.column(column).type() == Simple.STRING && !packet.isNull(column)) {
                int from = packet.valueStart(column);
                if (packet.valueEnd() == from) {
                    return "column `" + in.column(column).name() + "` is empty: as a partition that would be read as NULL";
                }
            }
        }
        return null;
    }

    /** Of a packet; null for NULL. */
    List<String> of(Packet packet) {
        List<String> texts = new ArrayList<>();
        for (int column : columns) {
            texts.add(packet.isNull(column) ? null : text(packet, column));
        }
        return texts;
    }

    /**
     * A packet of such columns.
     *
     * @param texts null, or none at all, for NULL
     * @throws IOException if one is no value of its column
     */
    static Packet packet(Schema columns, List<String> texts) throws IOException {
        ScratchPackets made = new ScratchPackets(columns);
        PacketWriter to = made.writer().begin();
        for (int k = 0; k < columns.size(); k++) {
            String text = texts.get(k);
            try {
                if (text == null || text.isEmpty()) {
                    to.setNull(k);
                } else {
                    set(to, k, (Simple) columns.column(k).type(), text);
                }
            } catch (NumberFormatException | DateTimeException none) {
                throw new IOException("the partition column `" + columns.column(k).name() + "` is "
                        + columns.column(k).type().sql() + ", and has the value `" + text + "` in the table's log", none);
            }
        }
        to.commit();
        return made.next();
    }

    private static void set(PacketWriter to, int column, Simple type, String text) {
        switch (type) {
            case BOOLEAN -> to.setBoolean(column, Boolean.parseBoolean(text));
            case TINYINT -> to.setByte(column, Byte.parseByte(text));
            case SMALLINT -> to.setShort(column, Short.parseShort(text));
            case INT -> to.setInt(column, Integer.parseInt(text));
            case BIGINT -> to.setLong(column, Long.parseLong(text));
            case DATE -> to.setInt(column, Math.toIntExact(LocalDate.parse(text).toEpochDay()));
            case STRING -> {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                to.setBytes(column, bytes, 0, bytes.length);
            }
            default -> throw new IllegalStateException("no partition by " + type.sql());
        }
    }

    private String text(Packet packet, int column) {
        return switch ((Simple) in.column(column).type()) {
            case BOOLEAN -> Boolean.toString(packet.getBoolean(column));
            case TINYINT -> Byte.toString(packet.getByte(column));
            case SMALLINT -> Short.toString(packet.getShort(column));
            case INT -> Integer.toString(packet.getInt(column));
            case BIGINT -> Long.toString(packet.getLong(column));
            case DATE -> LocalDate.ofEpochDay(packet.getInt(column)).toString();
            case STRING -> {
                int from = packet.valueStart(column);
                yield new String(packet.bytes(), from, packet.valueEnd() - from, StandardCharsets.UTF_8);
            }
            default -> throw new IllegalStateException("no partition by " + in.column(column).type().sql());
        };
    }
}
