/** The resource's side of jobs: deploys, starts, stops and measures them as the coordinator directs. */
package io.despina.control.resource;
