package io.despina.control.coordinator;

import io.despina.catalogue.SparkSourceSpec;
import io.despina.catalogue.SpooledSinkSpec;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Member;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Spooling;
import io.despina.link.Attempt;
import io.despina.plan.PlannedOperator;
import io.despina.plan.PlannedPort;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An operator whose rows programs of other processes read or give.
 *
 * @param way        {@link ProgramMessage.Located#IN} or {@link ProgramMessage.Located#OUT}
 * @param generation see {@link ProgramMessage.Located}
 * @param hosts      by instance, the name of its resource
 * @param stream     of its rows
 */
record RowPort(String way, String operator, String generation, List<String> hosts, PlannedPort stream) {

    /** @param spooling null if no program reads rows of sinks from disk */
    static List<RowPort> of(JobPlan planned, Spooling spooling) {
        List<RowPort> ports = new ArrayList<>();
        for (PlannedOperator operator : planned.plan().operators()) {
            List<String> hosts = planned.hostsOf(operator.id());
            if (operator.spec() instanceof SparkSourceSpec) {
                ports.add(new RowPort(ProgramMessage.Located.IN, operator.id(), "", hosts, operator.outputs().get(0)));
            } else if (operator.spec() instanceof SpooledSinkSpec) {
                ports.add(new RowPort(ProgramMessage.Located.OUT, operator.id(), spooling.generation(operator.id()), hosts,
                        operator.inputs().get(0)));
            }
        }
        return List.copyOf(ports);
    }

    /** The same, for a program that gives rows under that run. */
    RowPort of(String run) {
        return new RowPort(way, operator, run, hosts, stream);
    }

    /** By instance, where its resource is reached; null for the coordinator's own process. */
    List<InetSocketAddress> addresses(List<Member> members) {
        Map<String, InetSocketAddress> addresses = new HashMap<>();
        members.forEach(member -> addresses.put(member.name(), member.dataAddress()));
        List<InetSocketAddress> byInstance = new ArrayList<>();
        hosts.forEach(host -> byInstance.add(addresses.get(host)));
        return byInstance;
    }

    /**
     * @param members that run the job
     * @param here {@code host:port} for the coordinator's own process
     */
    ProgramMessage.Located located(Attempt attempt, List<Member> members, String here) {
        List<String> instances = addresses(members).stream()
                .map(at -> at == null ? here : at.getHostString() + ":" + at.getPort()).toList();
        return new ProgramMessage.Located(attempt, way, operator, instances, generation, stream.schema().sql(), stream.order());
    }
}
