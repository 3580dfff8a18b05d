package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.control.assembly.JobOptions;
import io.despina.control.members.Member;
import io.despina.control.protocol.Refusal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateClaimsTest {
    /** No machine has it (RFC 5737). */
    private static final String ELSEWHERE = "203.0.113.5";

    private static void refuse(String options, String... hosts) throws Refusal {
        Submission submission = new Submission("{}", "g.json", JobOptions.parse(options, System::currentTimeMillis));
        StateClaims.refuseUnseen(submission, List.of(hosts).stream().<Member>map(host -> new FakeMember(host) {
            @Override
            public InetSocketAddress dataAddress() {
                return InetSocketAddress.createUnresolved(host, 1);
            }
        }).toList());
    }

    @Test
    void aPathIsRefusedWhereAPartOfTheJobIsElsewhere() {
        Refusal why = assertThrows(Refusal.class,
                () -> refuse("{\"state\": \"kept\", \"directory\": \"/data\"}", "127.0.0.1", ELSEWHERE));
        assertEquals("state", why.rule());
        assertEquals("resource `203.0.113.5` runs on 203.0.113.5, and the state folder /data/kept is on this machine",
                why.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"hdfs://nodes/kept", "s3a://bucket/kept", "file:///mounted/kept"})
    void anAddressIsTakenForOneThatAllSee(String address) throws Refusal {
        refuse("{\"state\": \"" + address + "\"}", ELSEWHERE);
    }

    @Test
    void aPathIsSeenByResourcesOfThisMachineUnderAnyOfItsNames() throws Exception {
        refuse("{\"state\": \"kept\"}", "127.0.0.1", "localhost", InetAddress.getLocalHost().getHostAddress());
    }

    @Test
    void aJobThatKeepsNoStateRunsAnywhere() throws Refusal {
        refuse("{}", ELSEWHERE);
    }
}
