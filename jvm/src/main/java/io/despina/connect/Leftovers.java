package io.despina.connect;

import java.util.List;

/**
 * What the instances of an operator may have left at a server, when its job is given up.
 *
 * @param names   by which the server knows them, an instance each: of an {@link AcknowledgingReader} its
 *                {@link DeliveryHost#name}, of a {@link RecordWriter} its outbox
 * @param removes whether it is to be removed; else it is only looked for
 * @param millis  how long that may take
 */
public record Leftovers(List<String> names, boolean removes, long millis) {
    public Leftovers {
        names = List.copyOf(names);
    }
}
