package io.despina.operator.user;

import io.despina.api.PartitionFunction;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.util.function.ToIntFunction;

/** Runs a {@link PartitionFunction}. */
public final class UserPartition implements ToIntFunction<Packet> {
    private final UserClass user;
    private final PartitionFunction function;
    private final UserRow row;

    /**
     * Creates an object of the class, and opens it.
     *
     * @param packets schema of the packets to partition
     * @throws IllegalArgumentException if the class cannot be used, with the reason
     */
    public UserPartition(UserClass user, Schema packets) {
        this.user = user;
        UserColumns columns = new UserColumns(packets);
        row = new UserRow(columns);
        function = user.create(PartitionFunction.class);
        try {
            function.open(columns);
        } catch (Exception | LinkageError thrown) {
            throw user.notOpened(thrown);
        }
    }

    @Override
    public int applyAsInt(Packet packet) {
        try {
            return function.partition(row.on(packet));
        } catch (MalformedPacketException broken) {
            throw broken;
        } catch (RuntimeException thrown) {
            throw user.failed(thrown);
        }
    }
}
