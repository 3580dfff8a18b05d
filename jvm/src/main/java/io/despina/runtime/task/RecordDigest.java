package io.despina.runtime.task;

import io.despina.packet.Packet;
import java.util.HexFormat;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** Tells whether two records at an input are the same, also in another process: 64 bits, from two checksums. */
final class RecordDigest {
    private RecordDigest() {
    }

    static long bits(Packet packet) {
        return sum(new CRC32C(), packet) << Integer.SIZE | sum(new CRC32(), packet);
    }

    private static long sum(Checksum checksum, Packet packet) {
        checksum.update(packet.bytes(), packet.start(), packet.size());
        return checksum.getValue();
    }

    /** As messages have it. */
    static String of(Packet packet) {
        return HexFormat.of().toHexDigits(bits(packet));
    }

    static long bits(String digest) {
        return HexFormat.fromHexDigitsToLong(digest);
    }
}
