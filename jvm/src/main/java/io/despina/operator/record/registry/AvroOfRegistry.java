package io.despina.operator.record.registry;

import io.despina.operator.record.avro.AvroException;
import io.despina.operator.record.avro.AvroReader;
import io.despina.operator.record.avro.AvroSchemas;
import io.despina.operator.record.value.BinaryReader;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.registry.RegistryClient;
import io.despina.registry.RegistryException;

/**
 * Records of Avro.
 *
 * @param defaults a row with the default of each column that has one; null for none
 */
public record AvroOfRegistry(Schema columns, Packet defaults) implements RegisteredSchemas {

    @Override
    public BinaryReader reader(RegistryClient client, int id) throws RegistryException, UnreadableSchemaException {
        RegistryClient.Found found = client.schema(id);
        if (!found.type().equals("AVRO")) {
            throw new UnreadableSchemaException(RegisteredSchemas.name(id) + " is " + found.type() + ", not Avro");
        }
        if (!found.references().isEmpty()) {
            throw new UnreadableSchemaException(RegisteredSchemas.name(id) + " names other schemas, which cannot be read yet");
        }
        try {
            return new AvroReader(AvroSchemas.parse(found.text()), columns, defaults);
        } catch (AvroException why) {
            throw new UnreadableSchemaException(RegisteredSchemas.name(id) + " cannot be read as the columns: "
                    + why.getMessage());
        }
    }
}
