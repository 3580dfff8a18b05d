/** What a resource hosts: the tasks of a job, their operators and links. */
package io.despina.runtime.deployment;
