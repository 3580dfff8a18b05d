package io.despina.operator.connect;

import io.despina.connect.LakeTable;
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

/** Values of partitions, as the logs of tables have them. */
public final class PartitionTexts {
    private static final Set<Type> TYPES = Set.of(Simple.STRING, Simple.BOOLEAN, Simple.TINYINT, Simple.SMALLINT, Simple.INT,
            Simple.BIGINT, Simple.DATE);
    private static final Set<Type> GIVEN = Set.of(Simple.STRING, Simple.BINARY, Simple.BOOLEAN, Simple.INT, Simple.BIGINT,
            Simple.DATE, Simple.TIMESTAMP, Simple.TIMESTAMP_NTZ);

    private final Schema in;
    private final List<LakeTable.Partition> partitions;
    private final List<Integer> columns;
    private final LakeTable table;

    PartitionTexts(Schema in, List<LakeTable.Partition> partitions, LakeTable table) {
        this.in = in;
        this.partitions = partitions;
        this.table = table;
        columns = partitions.stream().map(each -> in.indexOf(each.column())).toList();
    }

    /** Whether a column of that type can be one. */
    public static boolean has(Type type) {
        return TYPES.contains(type);
    }

    /** Whether a table can be asked what a transform makes of such values. */
    public static boolean isGiven(Type type) {
        return GIVEN.contains(type);
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
        for (int k = 0; k < partitions.size(); k++) {
            int column = columns.get(k);
            texts.add(packet.isNull(column) ? null : partitions.get(k).transform() == null ? text(packet, column)
                    : table.transformed(k, value(packet, column)));
        }
        return texts;
    }

    private Object value(Packet packet, int column) {
        return switch ((Simple) in.column(column).type()) {
            case BOOLEAN -> packet.getBoolean(column);
            case INT, DATE -> packet.getInt(column);
            case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> packet.getLong(column);
            case STRING -> string(packet, column);
            case BINARY -> packet.copyOfValue(column);
            default -> throw new IllegalStateException("no partition by " + in.column(column).type().sql());
        };
    }

    private static String string(Packet packet, int column) {
        int from = packet.valueStart(column);
        return new String(packet.bytes(), from, packet.valueEnd() - from, StandardCharsets.UTF_8);
    }

    /**
     * A packet of such columns.
     *
     * @param texts null for NULL
     * @throws IOException if one is no value of its column
     */
    static Packet packet(Schema columns, List<String> texts) throws IOException {
        ScratchPackets made = new ScratchPackets(columns);
        PacketWriter to = made.writer().begin();
        for (int k = 0; k < columns.size(); k++) {
            String text = texts.get(k);
            try {
                if (text == null) {
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
            case STRING -> string(packet, column);
            default -> throw new IllegalStateException("no partition by " + in.column(column).type().sql());
        };
    }
}
