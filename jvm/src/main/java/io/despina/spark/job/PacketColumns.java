package io.despina.spark.job;

import io.despina.expr.TypeBytes;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;

/** The columns of packets, for Spark's tasks: what Spark sends must be serializable. */
public final class PacketColumns implements Serializable {
    private static final long serialVersionUID = 1L;

    private final byte[] columns;

    public PacketColumns(Schema packets) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            TypeBytes.write(new Type.Struct(packets.columns()), out);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        columns = bytes.toByteArray();
    }

    public Schema schema() {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(columns))) {
            return new Schema(((Type.Struct) TypeBytes.readType(in)).fields());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
