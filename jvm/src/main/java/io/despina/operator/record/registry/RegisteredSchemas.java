package io.despina.operator.record.registry;

import io.despina.operator.record.value.BinaryReader;
import io.despina.registry.RegistryClient;
import io.despina.registry.RegistryException;

/** Makes a reader of each schema that a registry has: a format. */
public interface RegisteredSchemas {

    /**
     * Reads records of that schema, behind its number. Blocks.
     *
     * @throws UnreadableSchemaException if they cannot be read as the columns; the message names the schema
     */
    BinaryReader reader(RegistryClient client, int id) throws RegistryException, UnreadableSchemaException;

    /** How messages call a schema. */
    static String name(int id) {
        return "schema " + id + " of the registry";
    }
}
