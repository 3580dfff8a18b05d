package io.despina.operator.record.registry;

import io.despina.operator.Retries;
import io.despina.operator.record.value.BinaryWriter;
import io.despina.operator.record.value.RegisteredId;
import io.despina.packet.Schema;
import io.despina.registry.RegistryClient;
import io.despina.registry.RegistryException;
import io.despina.registry.RegistryPlace;
import java.io.IOException;
import java.util.Map;

/**
 * How a sink gets the number of its schema.
 *
 * @param subject   under which the registry has it
 * @param registers whether it is registered if it is not there; never with Protobuf
 */
public record Registration(RegistryPlace place, String subject, boolean registers) {
    private static final long MILLIS = 10_000;

    /** What is asked for. */
    private interface Asking<T> {
        T ask(RegistryClient client) throws IOException;
    }

    /** Asks for that of Avro, and waits for a registry that is away. Blocks. @param schema its text */
    public RegisteredId id(String schema, Retries retries) throws IOException, InterruptedException {
        return ask(client -> new RegisteredId(registers ? client.register(subject, schema) : client.find(subject, schema)),
                retries);
    }

    /**
     * Makes a writer by the subject's newest schema of Protobuf. Likewise.
     *
     * @param options of the graph
     */
    public BinaryWriter protobuf(Map<String, String> options, Schema columns, Retries retries) throws IOException,
            InterruptedException {
        return ask(client -> ProtobufOfRegistry.writer(client, subject, options, columns), retries);
    }

    private <T> T ask(Asking<T> what, Retries retries) throws IOException, InterruptedException {
        RegistryClient client = new RegistryClient(place, MILLIS);
        while (true) {
            try {
                T answer = what.ask(client);
                retries.reset();
                return answer;
            } catch (RegistryException e) {
                if (e.why() != RegistryException.Why.AWAY) {
                    throw e;
                }
                retries.tell(e.getMessage());
                retries.await(0, e.getMessage());
            }
        }
    }
}
