package io.despina.operator.record.registry;

import io.despina.operator.Probe;
import io.despina.registry.RegistryClient;
import io.despina.registry.RegistryException;
import io.despina.registry.RegistryPlace;

/**
 * Asks a registry, and changes nothing there.
 *
 * @param subject that a sink writes to; null of a source, whose records say which schemas they have
 * @param isMade  whether the sink makes the subject if it is not there
 */
public record RegistryProbe(RegistryPlace place, String subject, boolean isMade) implements Probe {

    @Override
    public String run(long millis) throws RegistryException {
        RegistryClient client = new RegistryClient(place, millis);
        if (subject == null) {
            client.probe();
            return "registry " + place.url();
        }
        try {
            return "schema " + client.latest(subject) + " of subject " + subject + " in registry " + place.url();
        } catch (RegistryException e) {
            if (e.why() != RegistryException.Why.UNKNOWN || !isMade) {
                throw e;
            }
            return "registry " + place.url() + ", which has no subject " + subject + " yet";
        }
    }
}
