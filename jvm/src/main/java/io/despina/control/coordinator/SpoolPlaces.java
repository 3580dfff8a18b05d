package io.despina.control.coordinator;

import io.despina.control.members.Member;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the rows are that a program reads.
 *
 * @param resources by instance of the sink, where its resource is reached; null for the coordinator's own process
 * @param secret    that all of them know
 */
public record SpoolPlaces(List<InetSocketAddress> resources, String secret) {

    /** @param names by instance, of resources that are among the members */
    static SpoolPlaces of(List<String> names, Collection<Member> members, String secret) {
        Map<String, InetSocketAddress> addresses = new HashMap<>();
        members.forEach(member -> addresses.put(member.name(), member.dataAddress()));
        return new SpoolPlaces(names.stream().map(addresses::get).toList(), secret);
    }

    public SpoolPlaces {
        resources = Collections.unmodifiableList(new ArrayList<>(resources));
    }
}
