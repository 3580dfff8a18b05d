package io.despina.control.folder;

import com.fasterxml.jackson.databind.node.TextNode;
import io.despina.descriptor.Ddl;
import io.despina.json.Json;
import io.despina.packet.Packet;
import io.despina.packet.PacketJson;
import io.despina.packet.Schema;
import io.despina.state.ListedPackets;
import io.despina.state.SectionReader;
import io.despina.state.SnapshotException;
import io.despina.state.StateFormat;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the entries of a section as members of a JSON object, as far as the section's schema says what they are. What it does
 * not say is written as bytes, in base 64.
 */
@FunctionalInterface
interface EntryText {
    Pattern PACKETS = Pattern.compile("packets of (.*?)(, held)?");
    Pattern KEYED = Pattern.compile("(windows of |timeline of )?(.*?) -> (.*)");
    Pattern CLOCKED = Pattern.compile("clock and packets of (.*)");
    Pattern PAIRED = Pattern.compile("clocks and packets of (.*?) and of (.*)");
    Pattern SUMS = Pattern.compile("accumulator\\((.*)\\)");
    /** Types of sums that are numbers; others are objects of Spark's. */
    Set<String> NUMBERS = Set.of("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "FLOAT",
            "DOUBLE");

    /** The members of the entry, which it reads to its end. */
    String fields(SectionReader entry) throws IOException;

    /** @param schema of the section's head */
    static EntryText of(String schema) {
        Matcher packets = PACKETS.matcher(schema);
        Matcher keyed = KEYED.matcher(schema);
        if (schema.equals("named texts")) {
            return entry -> "\"name\": " + quoted(entry.data().readUTF()) + ", \"text\": " + quoted(entry.data().readUTF());
        }
        if (schema.endsWith(" numbers")) {
            return entry -> "\"numbers\": " + numbers(entry.data());
        }
        if (packets.matches()) {
            Schema columns = columns(packets.group(1));
            return columns == null ? EntryText::bytes : packets(columns, packets.group(2) != null);
        }
        Schema key = keyed.matches() ? columns(keyed.group(2)) : null;
        if (key == null) {
            return EntryText::bytes;
        }
        Matcher clocked = CLOCKED.matcher(keyed.group(3));
        Matcher paired = PAIRED.matcher(keyed.group(3));
        Schema columns = columns(clocked.matches() ? clocked.group(1) : paired.matches() ? paired.group(1) : keyed.group(3));
        Schema second = paired.matches() ? columns(paired.group(2)) : columns;
        boolean windowed = "windows of ".equals(keyed.group(1));
        EntryText each = "timeline of ".equals(keyed.group(1)) ? EntryText::bytes : keyed(windowed, key, value(keyed.group(3)));
        return windowed ? each : entry -> ListedPackets.isListed(entry)
                ? listed(ListedPackets.isOfSecond(entry) ? second : columns, entry) : each.fields(entry);
    }

    private static EntryText keyed(boolean windowed, Schema key, EntryText value) {
        return entry -> (windowed ? "\"window_start\": " + time(entry.data().readLong()) + ", " : "") + "\"key\": "
                + packet(key, entry) + ", " + (entry.isPart() ? "\"list\": " + entry.data().readInt() + ", " + bytes(entry)
                : value.fields(entry));
    }

    private static EntryText value(String schema) {
        Matcher sums = SUMS.matcher(schema);
        if (sums.matches()) {
            List<String> types = List.of(sums.group(1).split(", "));
            return NUMBERS.containsAll(types) ? entry -> "\"sums\": " + sums(types, entry.data()) : EntryText::bytes;
        }
        Schema columns = columns(schema);
        return columns == null ? EntryText::bytes : entry -> {
            byte[] value = entry.data().readAllBytes();
            for (Shape shape : Shape.values()) {
                try {
                    return "\"value\": " + shape.text(columns, new DataInputStream(new ByteArrayInputStream(value)));
                } catch (IOException other) {
                    continue;       // the schema says what its packets are, and not how many there are
                }
            }
            return bytes(value);
        };
    }

    /** How the packets of a value lie. */
    enum Shape {
        ONE, LIST, LIST_WITH_TIMES;

        /** @throws IOException if it lies otherwise */
        String text(Schema columns, DataInputStream in) throws IOException {
            Packet packet = new Packet(columns.layout());
            List<String> all = new ArrayList<>();
            for (int left = this == ONE ? 1 : StateFormat.readCount(in, "", in.available()); left > 0; left--) {
                if (this == LIST_WITH_TIMES) {
                    in.readLong();      // it is the packet's own
                }
                StateFormat.readPacket(in, "", packet);
                all.add(PacketJson.text(columns, packet));
            }
            if (in.available() > 0) {
                throw new SnapshotException("bytes follow");
            }
            return this == ONE ? all.get(0) : all.toString();
        }
    }

    private static String listed(Schema columns, SectionReader entry) throws IOException {
        if (columns == null) {
            return bytes(entry);
        }
        Packet packet = new Packet(columns.layout());
        ListedPackets.Mark mark = ListedPackets.read(entry, packet);
        return (mark == null ? "" : "\"matched\": " + mark.isMarked() + ", ") + "\"packet\": " + PacketJson.text(columns, packet);
    }

    private static EntryText packets(Schema columns, boolean held) {
        return entry -> {
            String until = held ? "\"held_until\": " + time(entry.data().readLong()) + ", " : "";
            return until + "\"arrival\": " + entry.data().readLong() + ", \"packet\": " + packet(columns, entry);
        };
    }

    private static Schema columns(String ddl) {
        try {
            return Ddl.parse(ddl);
        } catch (Ddl.DdlException other) {
            return null;
        }
    }

    private static String packet(Schema columns, SectionReader entry) throws IOException {
        Packet packet = new Packet(columns.layout());
        entry.packet(packet);
        return PacketJson.text(columns, packet);
    }

    private static String numbers(DataInputStream in) throws IOException {
        List<Long> numbers = new ArrayList<>();
        while (in.available() > 0) {
            numbers.add(in.readLong());
        }
        return numbers.toString();
    }

    /** Each as a flag for NULL and eight bytes. */
    private static String sums(List<String> types, DataInputStream in) throws IOException {
        List<String> sums = new ArrayList<>();
        for (String type : types) {
            boolean isNull = in.readBoolean();
            long bits = in.readLong();
            sums.add(isNull ? "null" : type.equals("DOUBLE") ? number(Double.longBitsToDouble(bits))
                    : type.equals("FLOAT") ? number(Float.intBitsToFloat((int) bits))
                    : type.equals("BOOLEAN") ? String.valueOf(bits != 0) : String.valueOf(bits));
        }
        return sums.toString();
    }

    private static String number(double value) {
        return Double.isFinite(value) ? String.valueOf(value) : quoted(String.valueOf(value));
    }

    private static String bytes(SectionReader entry) throws IOException {
        return bytes(entry.data().readAllBytes());
    }

    private static String bytes(byte[] content) {
        return "\"bytes\": " + quoted(Base64.getEncoder().encodeToString(content));
    }

    private static String time(long micros) {
        return quoted(Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString());
    }

    private static String quoted(String text) {
        return Json.text(TextNode.valueOf(text));
    }
}
