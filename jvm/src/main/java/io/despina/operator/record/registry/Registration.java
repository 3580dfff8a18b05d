package io.despina.operator.record.registry;

import io.despina.operator.Retries;
import io.despina.operator.record.value.RegisteredId;
import io.despina.registry.RegistryClient;
import io.despina.registry.RegistryException;
import io.despina.registry.RegistryPlace;
import java.io.IOException;

/**
 * How a sink gets the number of its schema.
 *
 * @param subject   under which the registry has it
 * @param registers whether it is registered if it is not there
 */
public record Registration(RegistryPlace place, String subject, boolean registers) {
    private static final long MILLIS = 10_000;

    /** Asks for it, and waits for a registry that is away. Blocks. @param schema its text */
    public RegisteredId id(String schema, Retries retries) throws IOException, InterruptedException {
        RegistryClient client = new RegistryClient(place, MILLIS);
        while (true) {
            try {
                int id = registers ? client.register(subject, schema) : client.find(subject, schema);
                retries.reset();
                return new RegisteredId(id);
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
