package io.despina.control.coordinator;

import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Keeps what it is told. */
class FakeMember implements Member {
    private final String name;
    final List<Message> told = new ArrayList<>();
    Refusal lost;

    FakeMember(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long pid() {
        return 7;
    }

    @Override
    public long memoryBytes() {
        return 16 << 20;
    }

    @Override
    public InetSocketAddress dataAddress() {
        return null;
    }

    @Override
    public void send(Message message) {
        told.add(message);
    }

    @Override
    public Refusal lost() {
        return lost;
    }

    boolean was(Class<? extends Message> told) {
        return this.told.stream().anyMatch(told::isInstance);
    }
}
